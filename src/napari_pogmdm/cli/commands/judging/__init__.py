"""Commands that say how good an image is: tables, uncertainty, noise, tuning."""
