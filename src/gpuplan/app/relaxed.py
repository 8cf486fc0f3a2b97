"""What else would give a pick where no machine can hold the job: each way is searched, not guessed."""

from dataclasses import replace

from gpuplan.app.nearest import nearest_changes, relaxed_questions
from gpuplan.app.rejected import best_within_a_year, what_of
from gpuplan.app.searched import Searched, currency_of, search_of
from gpuplan.app.tried import try_on, variants_on
from gpuplan.data.catalogue import Catalogue
from gpuplan.question.note import Note, note, spent
from gpuplan.units import HOUR


def relaxed(searched: Searched, catalogue: Catalogue) -> list[Note]:
    """Ways out: where nothing fits on own hardware, changes there; then the first search elsewhere, or for less."""
    question, notes = searched.understood.question, []
    has_points = len(searched.found.points) > 0
    if has_points and question.own is None:
        return []
    if len(question.own_gpus) == 1 and not has_points:
        asked = replace(question, on=question.own)
        chip, nodes, count = variants_on(asked, catalogue)[0]
        tried = try_on(asked, catalogue, chip=chip, nodes=nodes, count=count, today=searched.today)
        changes = nearest_changes(asked, catalogue, tried, today=searched.today)
        notes += [note("nearest.timed", change=one.text, hours=spent(one.duration_s / HOUR)) for one in changes]
    for text, changed in relaxed_questions(question):
        if has_points and text != "nearest.any_cloud":
            break
        other = search_of(changed, catalogue, today=searched.today)
        point = best_within_a_year(other.found.points, other.good)
        if point is None:
            continue
        currency = currency_of(other)
        cost = float(other.found.points.cost[point]) / other.places.rates[currency]
        hours = float(other.found.points.duration_s[point]) / HOUR
        what = what_of(other.found, other.places, point)
        paid = note("nearest.cost", cost=cost, currency=currency)
        notes.append(note(text, method=changed.method, what=what, cost=paid, hours=spent(hours)))
        break
    return notes
