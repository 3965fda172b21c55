"""From a folder of images to a rival's weights: simulated scans, a loss, and a loop that can be interrupted."""
