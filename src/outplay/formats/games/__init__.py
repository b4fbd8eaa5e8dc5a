"""Games: their own JSON, and Markov decision processes in the files of Storm and PRISM."""
