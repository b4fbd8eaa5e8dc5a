"""The studio: a local web page that shows a model as a game, lets people play it, and follows live runs."""
