"""What every test may use: snapshots in the root folder, the real inputs, the travel catalog."""

import asyncio
import inspect
import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.amber import AmberSnapshotExtension
from syrupy.location import PyTestLocation
from tests.depth import examples

from refract_asp.model import Catalog
from refract_asp.resources import catalog_path

# as in the background of a shell; tests press Ctrl-C
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "any machine",
    max_examples=examples(100),
    suppress_health_check=[HealthCheck.too_slow],
    deadline=None,
)
settings.load_profile("any machine")  # a busy machine is no fault of what is tested

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent


class RootSnapshots(AmberSnapshotExtension):
    """Keeps the snapshots of tests/a/test_b.py in snapshots/a/test_b.ambr."""

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        folder = Path(test_location.filepath).resolve().parent
        return str(ROOT / "snapshots" / folder.relative_to(TESTS))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that try random examples, of which `make test-all` takes all."""
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("property")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is async to its end, in an event loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


@pytest.fixture
def snapshot(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """Compare with the reviewed snapshots in the root folder."""
    return snapshot.use_extension(RootSnapshots)


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep what is cached in a folder of the tests; processes that they start inherit it."""
    os.environ["REFRACT_ASP_CACHE"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Return the folder of real inputs, or skip; with REFRACT_ASP_REQUIRE_DATA=1 its absence is a failure."""
    named = os.environ.get("REFRACT_ASP_DATA")
    folder = Path(named) if named else ROOT.parent / "shared" / "data"
    if folder.is_dir():
        return folder
    reason = f"real inputs are not there: {folder} (REFRACT_ASP_DATA names another folder)"
    if os.environ.get("REFRACT_ASP_REQUIRE_DATA") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """Return the travel catalog, which most examples use."""
    return Catalog.load(catalog_path("travel"))
