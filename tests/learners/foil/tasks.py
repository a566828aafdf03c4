"""Classic tasks for relational FOIL, made from what the relations mean."""

from itertools import permutations, product

from fivefold.learners.relational_foil import Relation, Relations, Type

LINKS = [(0, 1), (0, 3), (1, 2), (3, 2), (3, 4), (4, 5), (4, 6), (6, 8), (7, 6), (7, 8)]


def closure(links):
    """Give all pairs that links connect."""
    pairs = set(links)
    while True:
        more = pairs | {(a, d) for a, b in pairs for c, d in pairs if b == c}
        if more == pairs:
            return sorted(pairs)
        pairs = more


def can_reach(order="discover"):
    """Quinlan's network of nine nodes: 19 of 81 pairs are connected."""
    reach = Relation("can_reach", "XX", closure(LINKS), target=True)
    return Relations([Type("X", range(9), order=order)], [reach, Relation("linked_to", "XX", LINKS)])


def numbers(n, *relations):
    """Make a task on the numbers up to n, of which 0 may stand in clauses."""
    successor = Relation("succ", "NN", [(i, i + 1) for i in range(n)])
    return Relations([Type("N", range(n + 1), theory=[0])], [*relations, successor])


def less(n=6):
    pairs = [(a, b) for a, b in product(range(n + 1), repeat=2) if a < b]
    return numbers(n, Relation("less", "NN", pairs, target=True))


def plus(n=6):
    sums = [(a, b, a + b) for a, b in product(range(n + 1), repeat=2) if a + b <= n]
    return numbers(n, Relation("plus", "NNN", sums, target=True))


def even(n=6):
    return numbers(n, Relation("even", "N", [(a,) for a in range(0, n + 1, 2)], target=True))


def written(items):
    return f"[{''.join(map(str, items))}]"


def lists(elements, longest, make):
    """Make a task on all lists up to a length; `make` gives the relations to define."""
    every = [items for n in range(longest + 1) for items in product(elements, repeat=n)]
    parts = [(written(items), items[0], written(items[1:])) for items in every if items]
    types = [Type("X", elements), Type("L", map(written, every), theory=["[]"])]
    return Relations(types, [make(every), Relation("components", "LXL", parts, keys=["#--", "-##"])])


def member(longest=3):
    def make(every):
        rows = [(x, written(items)) for items in every for x in sorted(set(items))]
        return Relation("member", "XL", rows, target=True)

    return lists((1, 2, 3), longest, make)


def append(longest=3):
    def make(every):
        rows = [
            (written(a), written(b), written(a + b))
            for a, b in product(every, repeat=2)
            if a + b in set(every)
        ]
        return Relation("append", "LLL", rows, target=True)

    return lists((1, 2), longest, make)


COUPLES = {
    ("christopher", "penelope"): ["arthur", "victoria"],
    ("andrew", "christine"): ["james", "jennifer"],
    ("james", "victoria"): ["colin", "charlotte"],
    ("roberto", "maria"): ["emilio", "lucia"],
    ("pierro", "francesca"): ["marco", "angela"],
    ("marco", "lucia"): ["alfonso", "sophia"],
    ("arthur", "margaret"): [],
    ("charles", "jennifer"): [],
    ("emilio", "gina"): [],
    ("tomaso", "angela"): [],
}
MEN = {man for man, _ in COUPLES} | {"colin", "alfonso"}


def family(target):
    """Hinton's two families; the target is one of the relations that follow from the others."""
    father = [(man, child) for (man, _), children in COUPLES.items() for child in children]
    mother = [(woman, child) for (_, woman), children in COUPLES.items() for child in children]
    parent = father + mother
    siblings = [pair for children in COUPLES.values() for pair in permutations(children, 2)]
    brother = [(a, b) for a, b in siblings if a in MEN]
    sister = [(a, b) for a, b in siblings if a not in MEN]
    grandfather = [(a, c) for a, b in father for d, c in parent if b == d]
    by_blood = {(a, c) for a, b in brother for d, c in parent if b == d}
    by_marriage = {(m, c) for m, w in COUPLES for s, b in sister if s == w for d, c in parent if b == d}
    people = sorted({person for couple, children in COUPLES.items() for person in (*couple, *children)})
    known = {
        "grandfather": (grandfather, {"father": father, "parent": parent}),
        "uncle": (
            sorted(by_blood | by_marriage),
            {"brother": brother, "parent": parent, "married": list(COUPLES), "sister": sister},
        ),
    }
    wanted, others = known[target]
    relations = [Relation(name, "PP", rows) for name, rows in others.items()]
    return Relations(
        [Type("P", people, order="none")], [Relation(target, "PP", wanted, target=True), *relations]
    )


# length and roof of the cars of each train, as far as they matter
TRAINS = {
    "east1": ["long open", "short closed", "long open", "short open"],
    "east2": ["short open", "short open", "short closed"],
    "east3": ["short open", "short closed", "long open"],
    "east4": ["short open", "short open", "short closed", "short open"],
    "east5": ["short open", "long closed", "short closed"],
    "west6": ["long closed", "short open"],
    "west7": ["long closed", "short open", "short open"],
    "west8": ["long open", "short open"],
    "west9": ["short open", "long closed", "short open"],
    "west10": ["short open", "long open"],
}


def trains():
    """Michalski's ten trains, half of which go east."""
    cars = {(train, f"{train}_{i}"): car for train, own in TRAINS.items() for i, car in enumerate(own)}
    kinds = {
        word: [(name,) for (_, name), car in cars.items() if word in car.split()]
        for word in ("long", "short", "closed", "open")
    }
    types = [Type("T", TRAINS, order="none"), Type("C", [name for _, name in cars], order="none")]
    east = [(train,) for train in TRAINS if train.startswith("east")]
    return Relations(
        types,
        [
            Relation("eastbound", "T", east, target=True),
            Relation("has_car", "TC", list(cars)),
            *(Relation(word, "C", rows) for word, rows in kinds.items()),
        ],
    )
