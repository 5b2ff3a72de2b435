__all__ = ["find", "sendEmail"]


def find(q):
    print("made", q)
    return q


def sendEmail(to: str):
    print("sent to", to)
    return {"id": "1"}
