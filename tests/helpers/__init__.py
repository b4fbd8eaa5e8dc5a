"""What tests share: random automata, games, programs and traces, what the definitions say of them, and fake systems.

Nothing here calls a solver: an oracle works by the definition alone, on lists, in fractions.
"""
