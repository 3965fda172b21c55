"""From coil images to samples of k-space and back: on the grid by the FFT, or anywhere by a non-uniform one."""
