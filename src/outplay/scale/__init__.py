"""Work on many processes and machines, behind one interface of the standard library."""
