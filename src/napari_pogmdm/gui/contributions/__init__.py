"""What napari.yaml names beside docks: readers, writers, sample data."""
