"""The privacy audit: nine tests of the mechanism's guarantee, and the faults that they are tested on.

Run it with `python -m pytest tests/audit` (about 40 CPU seconds), or with fresh seeds and the whole table of faults
against tests with `python -m tests.bench.audit`. Seeds are fixed here, so that a failure is a fault and can be seen
again.

What is tested (each raises `CaughtError`, which says the case, what was seen, what should have been, and the odds):

* T1 (`cost`): the stated cost of the tree against 50 digits and against all paths of counts; what is spent in all.
* T2 (`cost`): exact probabilities of all 677 trees of depth <= 4 on small neighbouring data sets: no log ratio, with
  the leaves' own, passes epsilon.
* T3 (`frequencies`): how often each of these trees occurs in 20,000 runs, against its exact probability.
* T4 (`frequencies`): noisy minus true leaf counts against the exact law of G(a) - G(b).
* T5 (`frequencies`): that noise is independent of the tree, of the other leaves and of the other runs.
* T6 (`samplers`): each sampler's law, exact ties by scripted words, and how many words a run draws.
* T7 (`interference`): with the same words, data of the same public outcome give the same bytes.
* T8 (`neighbours`): events fixed in advance on neighbouring data sets, with Clopper and Pearson's intervals.
* T9 (`neighbours`): a black box that learns the worst event from one half of the runs and is judged on the other.

T3, T4, T8 and T9 sample the real `privcore.mechanism.run`, many copies in one call (`engine`), on data sets and
parameters that turn every dial (`cases`). Every statistical test holds its level of 1e-6 on each case exactly: p-values
are binomial, with Bonferroni's bound and no approximation (`statistics`), so a right mechanism practically never fails.

A test that can't fail is worth nothing. `mutants` puts one fault at a time into the source of `privcore`, and
`test_mutants` asserts that the tests named with it catch it. T3 to T5 find what an audit from outside (T8, T9) can't:
a fault need not show in 40,000 runs to break the promise. T1 and T2 find what is wrong in the arithmetic.
"""
