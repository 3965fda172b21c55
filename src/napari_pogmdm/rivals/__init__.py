"""The paper's learned rivals, U-Net, VarNet, Deep J-Sense and score networks: weights, and what they have seen."""
