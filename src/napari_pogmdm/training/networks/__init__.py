"""From a folder of images to the weights of a network prior."""
