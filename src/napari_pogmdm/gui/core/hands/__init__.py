"""What mouse and keys do on the canvas: values, contrast, comparing two pictures."""
