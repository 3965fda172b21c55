"""Magnitude images, NIfTI, DICOM or arrays, of which scans are simulated."""
