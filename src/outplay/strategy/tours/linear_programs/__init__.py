"""Tours as linear programs in whole numbers, and bounds that are proven by them."""
