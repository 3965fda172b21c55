"""Methods of networks that were trained on undersampled scans, each bound to a measurement as a stepper."""
