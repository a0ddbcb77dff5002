"""Who bears a name: relatives and animals, by the words that English has for them."""

from __future__ import annotations

from collections.abc import Mapping

#: Predicate: what stands for it, behind "my".
_KIN = """
partner: wife husband spouse girlfriend boyfriend fiancé fiancée fiance fiancee hubby partner
mother: mother mom mum mama
father: father dad papa
sister: sister sis
brother: brother
son: son
daughter: daughter
cousin: cousin
grandmother: grandmother grandma granny
grandfather: grandfather grandpa
aunt: aunt
uncle: uncle
niece: niece
nephew: nephew
friend: friend buddy bestie
colleague: colleague coworker teammate
neighbour: neighbour neighbor
roommate: roommate flatmate housemate
mentor: mentor coach
boss: boss manager
"""


def predicate_by_word(table: str) -> Mapping[str, str]:
    """Return word → predicate of a table of lines "predicate: words"."""
    rows = [line.split(": ") for line in table.strip().splitlines()]
    return {word: predicate for predicate, words in rows for word in words.split()}


#: What a relative is called → the predicate.
KIN = predicate_by_word(_KIN)
ANIMALS = frozenset(
    """
    dog dogs puppy puppies pup pups pooch cat cats kitten kittens kitty kitties turtle turtles
    tortoise tortoises hamster hamsters rabbit rabbits bunny bunnies parrot parrots bird birds
    horse horses snake snakes lizard lizards gecko ferret ferrets pig pigs goldfish fish chicken
    chickens goat goats labrador retriever poodle bulldog corgi beagle pet pets
    """.split()
)
