"""A path of activation knows its edges in their own direction."""

from meridia.traversal.walk import ActivationPath


def test_links_are_in_the_direction_of_their_edges():
    path = ActivationPath((1, 2, 3), ("NEXT", "RELATED"), (True, False), 0.5)
    assert path.hops == 2
    assert list(path.links()) == [("NEXT", 1, 2), ("RELATED", 3, 2)]
