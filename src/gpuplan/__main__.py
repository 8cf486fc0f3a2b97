"""`python -m gpuplan`: the command line."""

from gpuplan.cli.main import main

main()
