"""Magnitude images (NIfTI, DICOM or arrays) from which scans are simulated."""
