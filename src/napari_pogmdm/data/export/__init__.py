"""Images and scans in other programs' formats: NIfTI, DICOM, BART, NumPy, fastMRI, pictures."""
