"""napari's door to the engine, and the only room that knows Qt and napari."""
