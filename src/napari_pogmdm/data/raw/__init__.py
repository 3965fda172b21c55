"""Raw data as scanners write them, readout by readout: ISMRMRD and Siemens files, sorted into slices."""
