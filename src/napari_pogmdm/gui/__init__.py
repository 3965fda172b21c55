"""The napari plugin; the only folder that imports Qt and napari."""
