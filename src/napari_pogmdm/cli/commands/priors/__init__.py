"""Commands about priors: what ships, what is inside, training, data to train on."""
