"""Plans the training of models: what fits, on what, how fast, how long, for how much."""
