"""What napari.yaml names: readers, writers, sample data."""
