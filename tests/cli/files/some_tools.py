def find(q):
    print("made", q)
    return q
