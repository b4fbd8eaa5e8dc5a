"""One look for all pages and pictures: `page_frame.py`, with style sheets and scripts beside it."""
