"""napari's layers by role, the grid, complex images; nothing of the session."""
