"""The 60 functions of Kubernetes' shared storage suite, and the few that a subject can't be asked to pass.

They are the exported `Run…` functions of k8s.io/apiserver/pkg/storage/testing. Every test here names the function whose
behaviour it holds a storage to; the summary at the end of a run counts them.
"""

from __future__ import annotations

SUBJECTS = (
    *("memory", "sqlite", "etcd", "renumbered"),
    *("cacher-memory", "cacher-sqlite", "cacher-etcd", "cacher-renumbered"),
)

STORE_FUNCTIONS = (
    "RunTestCreate",
    "RunTestCreateWithTTL",
    "RunTestCreateWithKeyExist",
    "RunTestGet",
    "RunTestUnconditionalDelete",
    "RunTestConditionalDelete",
    "RunTestDeleteWithSuggestion",
    "RunTestDeleteWithSuggestionAndConflict",
    "RunTestDeleteWithConflict",
    "RunTestDeleteWithSuggestionOfDeletedObject",
    "RunTestValidateDeletionWithSuggestion",
    "RunTestValidateDeletionWithOnlySuggestionValid",
    "RunTestPreconditionalDeleteWithSuggestion",
    "RunTestPreconditionalDeleteWithOnlySuggestionPass",
    "RunTestList",
    "RunTestDeleteWithConflictAndMissingExpectedTransformOrDecodeError",
    "RunTestDeleteExpectedTransformOrDecodeError",
    "RunTestDeleteWithSuggestionAndMissingExpectedTransformOrDecodeError",
    "RunTestConsistentList",
    "RunTestGetListNonRecursive",
    "RunTestGetListRecursivePrefix",
    "RunTestGetListWithErrorAggregation",
    "RunTestGetListWithoutErrorAggregation",
    "RunTestListContinuation",
    "RunTestListPaginationRareObject",
    "RunTestListContinuationWithFilter",
    "RunTestListInconsistentContinuation",
    "RunTestListResourceVersionMatch",
    "RunTestGuaranteedUpdate",
    "RunTestGuaranteedUpdateWithTTL",
    "RunTestGuaranteedUpdateChecksStoredData",
    "RunTestGuaranteedUpdateWithConflict",
    "RunTestGuaranteedUpdateWithSuggestionAndConflict",
    "RunTestTransformationFailure",
    "RunTestStats",
    "RunTestListPaging",
    "RunTestNamespaceScopedList",
    "RunTestCompactRevision",
    "RunTestKeySchema",
)

WATCH_FUNCTIONS = (
    "RunTestWatch",
    "RunTestWatchFromZero",
    "RunTestDeleteTriggerWatch",
    "RunTestWatchFromNonZero",
    "RunTestDelayedWatchDelivery",
    "RunTestWatchError",
    "RunTestWatchWithUnsafeDelete",
    "RunTestWatchContextCancel",
    "RunTestWatcherTimeout",
    "RunTestWatchDeleteEventObjectHaveLatestRV",
    "RunTestWatchInitializationSignal",
    "RunOptionalTestProgressNotify",
    "RunTestClusterScopedWatch",
    "RunTestNamespaceScopedWatch",
    "RunTestWatchDispatchBookmarkEvents",
    "RunTestOptionalWatchBookmarksWithCorrectResourceVersion",
    "RunSendInitialEventsBackwardCompatibility",
    "RunWatchSemantics",
    "RunWatchSemanticInitialEventsExtended",
    "RunWatchListMatchSingle",
    "RunWatchErrorIsBlockingFurtherEvents",
)

FUNCTIONS = STORE_FUNCTIONS + WATCH_FUNCTIONS

DIRECT = SUBJECTS[:4]

NOT_APPLICABLE: dict[str, tuple[tuple[str, ...], str]] = {
    "RunTestGetListWithErrorAggregation": (
        SUBJECTS,
        "a list ends at the first object that can't be read; gathering all of them is behind a gate upstream",
    ),
    "RunTestOptionalWatchBookmarksWithCorrectResourceVersion": (
        DIRECT,
        "bookmarks are the cacher's: a store that is asked directly sends only the one after the initial events",
    ),
}
"""Function: the subjects that don't run it, and why. Upstream, etcd3 runs 59 of the 60 and the cacher 48."""


def why_not_applicable(function: str, subject: str) -> str | None:
    subjects, reason = NOT_APPLICABLE.get(function, ((), ""))
    return reason if subject in subjects else None
