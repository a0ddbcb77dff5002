"""How correct are the values derived without a model, compared with labels by hand?"""
