"""Systems x seeds on one benchmark: the run directory and the stages that fill it."""
