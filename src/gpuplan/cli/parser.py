"""The Typer application, built from the table of commands once the language is known."""

import difflib
import inspect
import shutil
from collections.abc import Callable
from typing import Annotated, Any, Final

import typer
import typer.core

from gpuplan.cli import help as help_text
from gpuplan.cli.commands import COMMANDS, Command, Request
from gpuplan.cli.options import Option
from gpuplan.errors import QuestionError
from gpuplan.locale import say
from gpuplan.version import VERSION

Run = Callable[[Command, Request], None]

_USAGE_ERROR: Final[type[Exception]] = typer.BadParameter.__mro__[1]
"""What the parser raises; its public name differs between versions of Typer."""

_SETTINGS: Final = {"allow_extra_args": True, "help_option_names": ["--help", "-h"]}


def build(run: Run, *, lang: str, program: str) -> typer.core.TyperGroup:
    """The whole command line in `lang`; a parsed command is handed to `run`."""
    app = typer.Typer(
        name=program,
        cls=_group_class(lang, program),
        add_completion=False,
        add_help_option=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings=_SETTINGS,
    )
    app.callback(invoke_without_command=True)(_start)
    for command in COMMANDS:
        wrapped = _function(command, run, lang, program)
        app.command(command.name, cls=_command_class(command, lang, program), context_settings=_SETTINGS)(wrapped)
    built = typer.main.get_command(app)
    assert isinstance(built, typer.core.TyperGroup)
    return built


def _function(command: Command, run: Run, lang: str, program: str) -> Callable[..., None]:
    """A function whose signature Typer reads: every value is text, an option may be repeated."""

    def called(ctx: typer.Context, **given: Any) -> None:
        if ctx.args:
            raise QuestionError("usage.extra", value=ctx.args[0], command=command.name)
        request = Request(
            lang=lang,
            program=program,
            arguments=_arguments(command, given),
            options={o.key: _value(o, given[o.key]) for o in command.options if given.get(o.key) not in (None, [])},
        )
        run(command, request)

    keyword = inspect.Parameter.KEYWORD_ONLY
    text = list[str] | None
    parameters = [inspect.Parameter("ctx", keyword, annotation=typer.Context)]
    for argument in command.arguments:
        annotation = Annotated[str | None, typer.Argument(metavar=argument.name)]
        parameters.append(inspect.Parameter(argument.name.lower(), keyword, default=None, annotation=annotation))
    for option in command.options:
        if option.key == "lang":
            continue  # taken before the parser was built; stands in the table for the help text
        kind = text if option.metavar else bool | None
        names = [option.name] if option.metavar or not option.negative else [_with_denial(option.name)]
        declared: Any = Annotated[kind, typer.Option(*names)]
        parameters.append(inspect.Parameter(option.key, keyword, default=None, annotation=declared))
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {p.name: p.annotation for p in parameters}
    return called


def _arguments(command: Command, given: dict[str, Any]) -> dict[str, str]:
    for argument in command.arguments:
        if argument.required and given[argument.name.lower()] is None:
            raise QuestionError("usage.missing", name=argument.name, command=command.name)
    names = [argument.name for argument in command.arguments]
    return {name: given[name.lower()] for name in names if given[name.lower()] is not None}


def _value(option: Option, given: list[str] | bool) -> str:
    if isinstance(given, bool):
        return "yes" if given else "no"
    if len(given) > 1 and not option.joins:
        raise QuestionError("usage.twice", name=option.name)
    return ",".join(given)


def _refuse_contradiction(command: Command, args: list[str]) -> None:
    """A flag and its denial, or two forms of output, cannot both be meant."""
    typed = args[: args.index("--")] if "--" in args else args
    pairs = [(o.name, _denied(o.name)) for o in command.options if o.negative and not o.metavar]
    for name, other in (*pairs, ("--json", "--csv")):
        if name in typed and other in typed:
            raise QuestionError("usage.both", name=name, other=other)


def _denied(name: str) -> str:
    return name.replace("--", "--no-", 1)


def _with_denial(name: str) -> str:
    return f"{name}/{_denied(name)}"


def _start(
    ctx: typer.Context,
    asked: Annotated[bool, typer.Option("--help", "-h")] = False,
    version: Annotated[bool, typer.Option("--version")] = False,
) -> None:
    """What the program does without a command; plain flags keep the parser from loading pydantic for a help text."""
    if version:
        typer.echo(f"gpuplan {VERSION}")
        raise typer.Exit
    if asked or ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())
        raise typer.Exit


def _group_class(lang: str, program: str) -> type[typer.core.TyperGroup]:
    class Group(typer.core.TyperGroup):
        """The list of commands."""

        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            parsed: list[str] = _parsed(super().parse_args, ctx, args)
            return parsed

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            if args[0] not in self.commands:
                raise _unknown_command(args[0])
            return super().resolve_command(ctx, args)

        def format_help(self, ctx: Any, formatter: Any) -> None:
            formatter.write(
                help_text.page(
                    lang=lang,
                    width=_width(),
                    usage=f"{program} {say(lang, 'help.command')}",
                    text=say(lang, "command.gpuplan"),
                    parts=[
                        (
                            say(lang, "help.commands"),
                            [(c.name, say(lang, f"command.{c.name}.short")) for c in COMMANDS],
                        ),
                        *help_text.option_rows(lang, []),
                        (say(lang, "help.examples"), [(f"{program} {c.examples[0]}", "") for c in COMMANDS]),
                    ],
                )
            )

    return Group


def _command_class(command: Command, lang: str, program: str) -> type[typer.core.TyperCommand]:
    class Spoken(typer.core.TyperCommand):
        """One command, its help in the user's language."""

        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            """Values stay text, so the conversion of each parameter (and with it pydantic) is left out."""
            _refuse_contradiction(command, args)
            given, rest, _ = _parsed(lambda ctx, args: self.make_parser(ctx).parse_args(args=args), ctx, args)
            if given.get("help"):
                typer.echo(ctx.get_help())
                ctx.exit()
            ctx.params = {p.name: given.get(p.name) for p in self.params}
            ctx.args = list(rest)
            return list(rest)

        def format_help(self, ctx: Any, formatter: Any) -> None:
            names = " ".join(a.name if a.required else f"[{a.name}]" for a in command.arguments)
            examples = [
                (f"{program} {line}", say(lang, f"example.{command.name}.{n}"))
                for n, line in enumerate(command.examples, 1)
            ]
            arguments = [(a.name, say(lang, f"help.argument.{a.name}")) for a in command.arguments]
            formatter.write(
                help_text.page(
                    lang=lang,
                    width=_width(),
                    usage=f"{program} {command.name} {names} {say(lang, 'help.options')}",
                    text=say(lang, f"command.{command.name}"),
                    parts=[
                        (say(lang, "help.arguments"), arguments),
                        *help_text.option_rows(lang, command.options),
                        (say(lang, "help.examples"), examples),
                    ],
                )
            )

    return Spoken


def _unknown_command(name: str) -> QuestionError:
    known = [command.name for command in COMMANDS]
    close = difflib.get_close_matches(name[:80], known, n=1)
    key = "usage.command.close" if close else "usage.command"
    return QuestionError(key, name=name, close="".join(close), known=", ".join(known))


def _parsed(parse: Callable[[Any, list[str]], Any], ctx: Any, args: list[str]) -> Any:
    """`parse` with the parser's complaints said in our words."""
    typed = list(args)
    try:
        return parse(ctx, args)
    except _USAGE_ERROR as error:
        name = getattr(error, "option_name", None)
        known = [opt for parameter in ctx.command.params for opt in (*parameter.opts, *parameter.secondary_opts)]
        if name is None:
            raise QuestionError("usage.other", text=" ".join(str(error).split())) from None
        if name in known:
            wants = "usage.flag_value" if any("=" in a and a.split("=")[0] == name for a in typed) else "usage.no_value"
            raise QuestionError(wants, name=name) from None
        close = difflib.get_close_matches(name[:80], known, n=1)
        key = "usage.option.close" if close else "usage.option"
        raise QuestionError(key, name=name, close="".join(close), command=ctx.command_path) from None


def _width() -> int:
    return min(shutil.get_terminal_size((100, 24)).columns, 100)
