"""The tabs of the Inspector, and the panels and plots on them."""
