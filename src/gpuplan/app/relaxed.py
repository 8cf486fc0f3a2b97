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
    """Ways out, where not one point was found: changes on own hardware, then the first search for less with a pick."""
    question, notes = searched.understood.question, []
    if len(searched.found.points):
        return []
    if len(question.own_gpus) == 1:
        asked = replace(question, on=question.own)
        chip, nodes, count = variants_on(asked, catalogue)[0]
        tried = try_on(asked, catalogue, chip=chip, nodes=nodes, count=count, today=searched.today)
        notes += [change.text for change in nearest_changes(asked, catalogue, tried, today=searched.today)]
    for text, changed in relaxed_questions(question):
        other = search_of(changed, catalogue, today=searched.today)
        point = best_within_a_year(other.found.points, other.good)
        if point is None:
            continue
        currency = currency_of(other)
        cost = float(other.found.points.cost[point]) / other.places.rates[currency]
        hours = float(other.found.points.duration_s[point]) / HOUR
        what = what_of(other.found, other.places, point)
        notes.append(note(text, method=changed.method, what=what, cost=cost, currency=currency, hours=spent(hours)))
        break
    return notes
