"""The from-scratch systems `transformer` and `lstm`. In the order to read them:

    options      every choice and the presets; what decides the trained weights
    vocabulary   text to piece numbers and back
    corpus       the pairs as numbers, and which of them each step sees
    batch        some pairs side by side, padded
    attention    softmax of scores, relative and rotary positions
    operations   what lies between two matrix products; the models call no other
    transformer  encoder, decoder, and decoding with a cache
    lstm         the same with recurrent layers
    optimiser    the schedules of Adam
    trainer      one model in training: its steps, its scores on dev
    checkpoint   the files of a model
    training     several models: prepare, build, train
    search       greedy and beam decoding
    system       what the registry knows: train, load, translate

The loop itself, Adam, checkpoints and several processes are those of fine-tuning, too (neural/).
All of it is plain PyTorch and complete. `fast` has what only makes it faster and is entered at one
place (training.py): without it everything trains and decodes, more slowly.
"""
