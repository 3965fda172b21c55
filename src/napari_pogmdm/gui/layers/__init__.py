"""napari's layers, by role; nothing of the session."""
