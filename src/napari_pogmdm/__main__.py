"""``python -m napari_pogmdm``: the same commands as ``napari-pogmdm``."""

from napari_pogmdm.cli.main import main

if __name__ == "__main__":
    main()
