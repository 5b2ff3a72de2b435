number, text, unnamed, numbered, registry = 3, "text", [3], {3: print}, {"Other": print}


class Evil:
    def __iter__(self):
        raise ValueError("no")


evil = Evil()
