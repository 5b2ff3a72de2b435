registry = {"order": lambda zip, count: [zip, count]}
