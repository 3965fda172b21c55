"""Jobs side by side: in this process, in processes of this machine, or on a dask cluster; one loop for all."""
