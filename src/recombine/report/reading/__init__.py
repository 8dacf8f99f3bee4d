"""Reading what `score` wrote: runs, their score files, observations of several systems aligned."""
