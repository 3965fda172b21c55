"""What mouse and keys do on the canvas: values, contrast, two pictures held against each other."""
