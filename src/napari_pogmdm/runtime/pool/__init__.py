"""Jobs side by side: in this process, in several, or on a dask cluster."""
