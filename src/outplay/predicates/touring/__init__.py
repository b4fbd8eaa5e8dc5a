"""The test of least cost: what edges show, the postman's problem of it, the tour with its bounds."""
