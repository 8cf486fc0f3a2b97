"""The command line: it translates arguments into calls of `gpuplan.app` and answers into words, nothing else."""
