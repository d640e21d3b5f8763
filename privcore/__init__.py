"""privcore: differentially private synthetic measures of point clouds."""
