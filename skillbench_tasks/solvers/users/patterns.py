"""Wordings by which agents ask and ask for a yes (unified lower case)."""

from __future__ import annotations

import re

__all__ = [
    "ALTERNATIVES",
    "ANAPHORA",
    "BOTH_ENDS",
    "CHOICE",
    "CONFIRM",
    "CONFIRM_BARE",
    "CONFIRM_TAG",
    "HARD_PURPOSE",
    "INSTRUCTION",
    "NOT_ASKED",
    "OFFER",
    "OLD_ONE",
    "OPEN",
    "OPEN_CHANGE",
    "OPEN_WHICH",
    "PLAIN_REQUEST",
    "PREAMBLE",
    "PURPOSE",
    "REQUEST",
    "SUBJECT_VERIFICATION",
    "WH",
    "WHICH_ONE",
    "WHICH_PART",
    "WH_QUESTION",
    "YES_NO",
    "any_of",
]


def any_of(*patterns: str) -> re.Pattern[str]:
    """Return a pattern for any of several patterns."""
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


_ASKING_VERB = (
    r"(?:provide|share|tell|give|send|verify|enter|type|state|specify|supply|reply "
    r"with|respond with|include|list|describe|advise|"
    r"indicate|choose|select|pick|clarify|repeat|spell|explain|mention|submit|write|"
    r"answer|read|remind|let (?:me|us) (?:know|have)|"
    r"confirm|identify|double-check|help me with|elaborate|detail|offer|fill|furnish|find|locate|"
    r"drop|pass|try|check|look|start|re-enter|resend|say)"
)

_POLITE = (
    r"(?:please |kindly |also |just |quickly |first |then |briefly |maybe |perhaps |"
    r"possibly |be so kind as to )*"
)

REQUEST = any_of(
    rf"\b(?:could|can|would|will|may|might) (?:you|u) {_POLITE}{_ASKING_VERB}\b",
    r"\b(?:would you mind|do you mind|would you be able to|are you able to)\b(?! if i)",
    rf"\b(?:please|kindly) {_POLITE}{_ASKING_VERB}\b",
    r"\b(?:may|can|could|might) (?:i|we|you) (?:please |also |just |quickly |kindly |first )*"
    r"(?:have|get|ask|know|take|grab|collect|trouble you|see|start with|begin with|bother)\b",
    r"\b(?:i|we)(?:'ll| will|'d| would)? (?:just |also |still |first |only |then |"
    r"next |now |really )*(?:need|require|want to know|like to know|"
    r"have to know|must know|like to have|like to ask|like to confirm|want to confirm|"
    r"like to verify|have to "
    r"ask|must ask|have to verify|ask for|ask that|appreciate)\b",
    r"\b(?:i|we) (?:am|are) (?:still |just |also )*(?:going to need|missing|looking "
    r"for|required to ask|required to verify|after|lacking)\b|\bi'm (?:still |just |"
    r"also )*(?:going to need|missing|looking for|after)\b",
    r"(?:^|[,:;(-] ?|\b(?:and|so|but|also|then|now|ok|okay|thanks|great|hi|hello|"
    r"first|next|first of all|please|well|alright|perfect|sure|got it|finally|lastly|"
    r"you|there|process|under|on|at|from|by|to|for|with|in|of) )"
    r"(?:what|which|when|where|why|how|who|whose|whom)\b(?! (?:i|we) (?:can|could|"
    r"found|have found|see|am seeing|will|need|have|did|do)\b)",
    rf"(?:^|[,:;(-] ?|\b(?:and|so|but|also|then|now|ok|okay|first|next|just|to|thanks|"
    rf"great|sure|alright|hi|there|hello) )"
    rf"{_POLITE}(?:provide|share|give|tell|send|enter|type|state|specify|supply|reply "
    rf"with|include|describe|walk me through|explain|elaborate|choose|pick|select|"
    rf"spell|clarify|let (?:me|us) (?:know|have)|confirm|verify)\b(?! (?:me a "
    rf"(?:moment|second|minute|sec)|you\b))",
    r"\b(?:still need|need (?:a couple|a few|two|some|one|your|the|to know|to have|to "
    r"confirm|to verify|to ask|to get|you to|from you)|needed from you|required from "
    r"you|is required|are required|is needed|are needed|"
    r"must (?:have|get|verify|confirm|provide)|have to have|let me get|let us get|let "
    r"me have|let's start with|let's get|let's have|start with your|start by|begin "
    r"with your|i lack|waiting (?:for|on) your|"
    r"help me with your|help us with your)\b",
    r"\bonce (?:i|you|we) (?:have (?=your|the|that|those|it|this|these|both|all)|provide|share|"
    r"give|receive|get|confirm|tell|send|know)\b",
    rf"\b(?:if|when) you (?:could|can|would|will) {_POLITE}{_ASKING_VERB}\b",
    r"\bdo you (?:happen to )?(?:have|know|remember|recall)\b|\b(?:got|have) (?:your|"
    r"an?|the) [\w ]+\?",
    r",? please(?:[.!]?$| \()",
    r"\byou (?:can|could|may|might) (?:also |just |instead |simply )*(?:give|tell|send|share with|"
    r"name) (?:me|us)\b",
    r"\bneeding (?=your\b|the\b)",
    r"\b(?:i|we)(?:'ll| will|'d| would)? (?:\w+ )?(?:want|need|ask for|asked for) (?:your|the)\b",
    r"\b(?:two|three|four|some|\d) (?:\w+ )?(?:questions|things|details|items)[^:.]*:",
    r"\bwill (?:tell|show) (?:me|us)\b|\bplease[,;]?(?=,? (?:then|so)\b)|\bwhichever\b|"
    r"\bwould do (?:it )?(?:too|as well|also)\b",
    r"\b(?:have|take|try) another (?:go|try|shot|look) (?:at|with)\b",
    r"\b(?:do|have) you (?:\w+ ){1,3}(?:have|know|remember|recall)\b|\bat hand\b[^?]*\?",
    r"\b(?:is|are) (?:still |now |all (?:that is )?)*(?:left|missing|outstanding|lacking)\b",
    r"\b(?:that|it|this|either|both|one) (?:would|will|can) (?:also )?(?:help|do)\b|"
    r"\b(?:also |would |will )helps?\b(?! (?:you|with))|\bwill do (?:in place|instead|just as)\b",
    r"\bask (?:you )?(?:for |about )?(?:your|which|what|how|who|in what)\b",
    r"\bneed (?:\d+|two|three|four|a couple of|a few|some) (?:\w+ )?(?:things|details|pieces)\b",
    r"\b(?:one|two|three|\d|another|a|the) (?:more |last |final |quick |further |next |other "
    r")+(?:check|question|thing|"
    r"detail|step|item|piece)s?\b[^:]*:",
    r"(?<=\w) (?:will|would) (?:do|work|be (?:fine|enough|okay|plenty))(?: too| as well| instead| "
    r"just "
    r"fine)?[.! ]*$|\b(?:(?:is|are) (?:fine|enough|okay|good)|works|does|helps) (?:too|as well|"
    r"instead|just as "
    r"well)\b",
    r"\bhave you got\b|\bany chance (?:you|i)\b|\bwanna (?:give|tell|share)\b|"
    r"\bgimme\b|\bneed (?:ur|your)\b|\blmk\b",
)

# Words that make a request even without a question mark.
PLAIN_REQUEST = re.compile(
    r"\b(?:could|can|would|will|may|might) (?:you|i|we)\b|\bplease\b|\b(?:i|we)(?:'ll| will|'d| "
    r"would)? "
    r"(?:\w+ )?(?:need|require)\b|^(?:what|which|when|where|why|who|how)\b"
    r"|\b(?:will|would|can|also) (?:do|work|helps?)\b|\b(?:works|is enough)\b"
)

YES_NO = re.compile(
    r"(?:^|[,:;(-] ?|\b(?:and|so|but|also|then|ok|okay|thanks|great|first|well|just "
    r"to (?:confirm|check|clarify|be sure|double-check|verify)|to (?:confirm|clarify)|"
    r"there) ?,? ?)"
    r"(?:is|are|was|were|am i|do|does|did|has|have|had|will|would (?!you)|you want|you would like|"
    r"you'd like|you mean|you said|so you)\b"
)

CONFIRM = any_of(
    r"^(?:and |so |then )?(?!(?:is|was|does|did|do|are|about|like|for|with|from|on|in|at|has|why|"
    r"how|which|what|read|spell|say) )[a-z]+ (?:it|them)(?: (?:then|now|like that|up|in|off|"
    r"on))?\?$|"
    r"^(?:still (?:good|okay|ok|fine|interested)|interested|in order|go)\?$",
    r"^(?:so )?(?:fine|good|agreed|all right|alright|works|cool|deal)\?$|"
    r"\bdo we have a deal\b|\b(?:speaks|speaking|anything) against (?:that|it|this)\b",
    r"^(?:(?:so|then|and) )?(?:ok|okay|alright|all right|happy|fine|ready|good) "
    r"(?:to|for|if i|if we|that i) [^?]*\?",
    r"^(?:so )?(?:book|move|do|change|update|send|issue|apply|save|submit|cancel) "
    r"(?:it|that|this|them)\?$",
    r"\b(?:shall|should) (?:i|we)\b",
    r"\b(?:can|may|could) (?:i|we) (?:please |now )?(?!(?:please |also |just |quickly "
    r"|kindly |first )*(?:have|get|ask|know|take your|grab|collect|help|assist|"
    r"trouble|see|start|begin|bother|do for|be of|confirm your|verify|confirm|check "
    r"your|check the|double|request|receive|obtain|hear|jot|note your|write down|"
    r"inquire|learn|trouble|try|go over|go through|take a look|look at|we)\b)[a-z]+",
    r"\b(?:do you|would you|so you(?:'d| would)?|that you(?:'d| would)?|^you(?:'d| "
    r"would)?) (?:like|want|prefer|wish) (?:for )?(?:me|us) to\b",
    r"\bif you(?:'re| are)? (?:agree|fine with (?:it|that)|okay with (?:it|that))\b|"
    r"^(?:so )?do we (?:book|do|move|set|change|send|take|keep|leave)\b",
    r"\bwant me to\b|^(?:(?:do|would) you )?(?:want|like) to (?:see|hear|know)\b",
    r"\b(?:is|are|does|do|would|will) (?:that|this|it|these|those|they|everything|all|"
    r"all of that|all of this|the (?:above|details|information|summary|following|new "
    r"details))"
    r"(?: all| information| plan| change| details| still| time| date| slot| option| "
    r"be| summary| above| everything| also| now| new appointment| appointment)*"
    r" (?:ok|okay|alright|all right|correct|right|fine|good|acceptable|accurate|look|"
    r"sound|work|seem|match|suit|agreeable|as expected|what you)\b",
    r"\b(?:ok|okay|all right|alright|happy|good|fine|comfortable|satisfied) (?:with "
    r"(?:you|that|this|me|it|these|the)\b|to (?:proceed|go (?:ahead|on|with)|"
    r"continue)\b|for me to\b|if "
    r"i\b|to go ahead\b)",
    r"\bare you (?:okay|ok|happy|sure|ready|certain|good|comfortable|fine|in "
    r"agreement|all right|alright)\b",
    r"\bready (?:for me to|to (?:proceed|go|submit|book|continue|confirm|finali[sz]e))\b",
    r"\bconfirm(?:ation)?,? (?:to (?:proceed|continue|go ahead|move forward|"
    r"finali[sz]e)|and i\b|so (?:i|we|that)\b|before (?:i|we)\b|this (?:change|is|"
    r"update|request|reschedul|refund|cancel)|that this|that (?:i|we) (?:should|can|"
    r"may|have your|am|'m)\b|that you (?:want|would|'d|wish|agree|are happy|are okay|"
    r"are ok|'re|authori[sz]e|approve|consent)|"
    r"if (?:this|that|you|it|these|everything)|whether (?:this|that|you|it)|you(?:'d| "
    r"would)? (?:like|want|wish)|that (?:this|these|the (?:above|details)|everything|"
    r"all)|these (?:details|changes)|the (?:change|above|booking|reschedul|refund|"
    r"cancellation|details|update|order change|new appointment|following change|"
    r"following:))",
    r"\b(?:reply|say|type|answer|respond|write|send|text)(?: back)?(?: with)?(?: "
    r"a)?(?: simple)? [\"']?(?:yes|y|confirm|ok|go ahead)\b",
    r"\byes or no\b|\(y/n\)|\by/n\b|\byes/no\b|\(yes/no\)|\ba (?:simple |quick )?yes\b|\[y/n\]",
    r"\bdo you (?:agree|confirm|consent|authori[sz]e|approve|accept|give (?:me "
    r")?(?:your )?(?:permission|consent|approval)|still want|still wish|wish to "
    r"proceed|want to (?:proceed|go ahead|continue|move forward|go with|keep|take|do "
    r"that)|really want)\b",
    r"^(?:so |okay |ok )?(?:go ahead|proceed|continue|agreed|okay|ok|alright|confirm|"
    r"confirmed|good to go|good|deal|sounds good|sound good|look good|looks good|all "
    r"good|all correct|correct|right|yes)\?$",
    r"\b(?:go ahead|proceed|continue|move forward|good to go)(?: with (?:this|that|it|"
    r"the [\w ]+|these [\w ]+))?\?",
    r"\blike to (?:proceed|go ahead|continue|move forward|confirm this|finali[sz]e)\b|"
    r"\bwant to (?:proceed|go ahead)\b",
    r"\b(?:sounds?|looks?) (?:good|right|okay|ok|correct|alright)(?: to you| so far)?\?",
    r"\blet me know if (?:that|this|it|everything|these|you(?:'d| would)? (?:like|"
    r"want) (?:me|us)|you(?: are|'re)? (?:okay|ok|happy|agree|approve)|i (?:can|"
    r"should|may)|we (?:can|should)|all (?:that|this))\b(?! (?:does not|doesn't|issue|"
    r"persist|continue|happen|fix|help|resolve|solve|improve))",
    r"(?<!even )\bif (?:that|this|it|everything|all of this) (?:is (?:ok|okay|correct|right|"
    r"fine|good|all right|alright)|works|looks(?! like)|sounds(?! like)|suits)\b",
    r"\b(?:just say the word|your (?:go-ahead|approval|permission|okay|consent|"
    r"confirmation)|the go-ahead|the green light|thumbs up|a go)\b",
    r", (?:ok|okay|alright|all right|yes|yeah|good)\?$",
    r"^(?:so |then |and )?(?:set|save|book|move|change|order|issue|send|lock|add|remove|cancel|"
    r"submit|apply|place|file|withdraw|refund|ship|replace|update|activate|redeem|switch|put|"
    r"open|close|make|start|restart|keep|do|go)(?: (?:it|that|this|them|these|the|your|like|now|"
    r"both|all|ahead|up|for)\b[^,?]{0,40})?\?$",
    r"\bis (?:now|this|it|that) (?:a )?(?:good|okay|ok|fine|right|convenient) (?:time|moment)\b",
    r"\b(?:may|can|shall|should|could) i\?|\bis (?:that|this|it) (?:how|what|the way|as) you\b",
    r"\b(?:how|what) (?:does|do|would) (?:that|this|it) (?:sound|look|suit)\b|\bsuits? you\?|"
    r"\b(?:that|this|it) suit\b|\bwhat do you say\b|\bare we (?:good|agreed)\b|"
    r"\bi have your (?:yes|ok|okay|word)\b|\bwould you (?:like|want) (?:that|this|it)\?|"
    r"\bwant (?:that|this|it)\?|\b(?:give|say) (?:me )?the (?:word|nod)\b|\bare you in\?|"
    r"\b(?:as|once|when) (?:soon as )?you (?:say|give|reply|confirm) (?:yes|ok|the word|so)\b|"
    r"\bi need (?:a |your )(?:clear |explicit |final )?(?:yes|ok|okay|confirmation)\b",
    r"\b(?:okay|ok|fine|good|alright|all right|cool|acceptable) (?:by|with|for) you\?|\bstill "
    r"want (?:that|it|this)\b",
    r"^confirm(?:,? please)?\?|\byes or no\b",
    r"\bany objections?\b|\bis it (?:ok|okay|alright|all right|fine) (?:if|to|for|"
    r"with)\b|\bdo i have your\b|\bcan you (?:please )?confirm\s*\??$|\bmind if i\b",
    r"\b(?:works|work) for you\?|\bwould that work\b|\bwill that work\b|\bdoes that help you\b",
    r"^(?:could you |can you |would you |will you )?(?:please |kindly )*confirm(?: "
    r"please)?[.?!:]*$|\bplease confirm[.!?]*$|\bplease confirm (?:below|now|once "
    r"more|one last time|with (?:a )?yes)\b",
    r"\b(?:can you|could you|would you|will you) (?:please |kindly )?(?:approve|"
    r"authori[sz]e|agree)\b|\bplease (?:approve|authori[sz]e|agree)\b",
)

CONFIRM_TAG = re.compile(
    r"(?:\b(?:is|are|does) (?:that|this|it|these|they|everything|all of this|all of "
    r"that|all that|the (?:above|details|information)|the information(?: above)?) "
    r"(?:still |all |information |details |look |looking |sound )*(?:correct|right|"
    r"accurate|ok|okay|up to date|good)|,? (?:correct|right|is that so|isn't it)\?$|"
    r"^(?:correct|right|is that right|is that it|is that so|is it so)\?$|"
    r"\bis (?:that|this|it) the (?:right|correct) (?:address|number|date|email|name|spelling|"
    r"day)\b|"
    r"\bdid i get that right|\bdo i have that right|\bhave i got that right|\bdoes "
    r"that match|\bmatches\b.*\?$|\bam i right|\bis this still\b)"
)

CONFIRM_BARE = re.compile(
    r"\bconfirm\b(?:[.?!:]|$| (?:that|this|these|below|the following|details|"
    r"information|everything))"
)

CHOICE = re.compile(
    r"\bor\b|\bwhich\b|\beither\b|\bprefer|\bchoose\b|\bpick\b|\bselect\b|"
    r"\boptions?\b|\bwould you like\b|\bfavou?rites?\b"
)

OFFER = re.compile(
    r"\b(?:would you like|do you want|would you be (?:interested|willing|open)|are "
    r"you interested|can i (?:offer|interest)|would it help|would you prefer|care to|"
    r"will you accept|"
    r"would you accept|can you accept|how about|what about|would you consider|would you (?:take|"
    r"go (?:with|for)|settle for)|are you "
    r"willing|is it possible that you|if you(?:'d| would)? (?:like|prefer|want),? i "
    r"(?:can|could)|may i offer|would that be)\b"
)

ALTERNATIVES = re.compile(r"\bor\b|\beither\b|/| and/or ")

OPEN = any_of(
    r"\btell (?:me|us) (?:a (?:bit|little) )?(?:more|about (?:it|this|the|your)|what "
    r"(?:is |you|brings|exactly|seems)|in (?:more|your))",
    r"\bmore (?:detail|details|information|info|context|specific|about what|about "
    r"(?:the|your|this) (?:issue|problem|request))\b",
    r"\b(?:elaborate|be (?:a bit )?more specific|walk me through|explain (?:what|the|"
    r"your|a bit|further|in)|describe (?:what|the|your|in))\b",
    r"\bwhat (?:exactly |specifically |precisely )?(?:would you like|do you want|are "
    r"you (?:looking|trying|hoping|calling|contacting)|can you tell me|do you need|is "
    r"it (?:that )?you|is this (?:about|regarding)|is it (?:about|regarding)|is going "
    r"on|happened|is the (?:matter|trouble|request)|needs to|should be (?:changed|"
    r"different)|change|kind of (?:help|change|assistance))\b",
    r"\b(?:which|what) (?:details|information|part|parts|thing|things|contact details)\b",
    r"\bwhat exactly\b|\bwhat specifically\b|\bwhat (?:change|changes|update|updates|"
    r"kind of help|kind of issue)\b|\bwhat seems to be\b|\bwhat part\b|\bwhat (?:was|"
    r"is) it (?:that )?you\b|\bwhat is (?:this|your (?:question|request|concern|"
    r"inquiry|enquiry|query))\b",
    r"\b(?:your|the) (?:request|question|concern|inquiry|enquiry|query)\?|\bwhat "
    r"you(?:'d| would)? (?:like|want|need)(?: to| help| me| us|[.?!]|$)|\bwhat you "
    r"(?:need|want|are looking for|are trying)\b|\bwhat it is you\b|\bwhat i can "
    r"(?:do|help)\b",
    r"\bin your own words\b|\bhow can i help (?:you )?with (?:that|this|it|the|"
    r"your)\b|\bwhat do you mean\b|\bnot (?:quite |entirely )?sure (?:what|i "
    r"understand)\b|\bclarify (?:what|your|the)\b|\bhow would you like (?:me|us) to "
    r"(?:proceed|help)\b|\brestate\b|\brephrase\b",
    r"\bwhat would you like\b|\bhow would you like to proceed\b|\bthe nature of "
    r"your\b|\bwhat (?:are|is) the details\b|\breason for (?:your )?(?:call|contact|"
    r"contacting|reaching out|calling|message|inquiry|enquiry)\b|\bwhat brings\b",
)

OPEN_CHANGE = re.compile(
    r"\b(?:change|update|move|switch|reschedule|correct|replace|set|amend|edit)\w* "
    r"(?:it|that|this|them|the \w+|your \w+(?: \w+)?) (?:to|with|"
    r"for)\s*(?:instead)?\?|\bto what\b|\bwhat (?:should|do|would|shall|can) (?:i|we|"
    r"you|it) .*\b(?:to|with|instead|say)\b[.?!]*$|\b(?:what|which|where|how|"
    r"who)\b[^?]*\binstead\?|\bwhat would you like "
    r"(?:it|that|this) to be\b|\bwhat (?:should|would) (?:the new|it) \w*"
)

OPEN_WHICH = re.compile(
    r"\b(?:which|what|is it)\b.*\b(?:needs? (?:updating|changing|correcting|to (?:be "
    r")?(?:updated?|changed?|corrected))|"
    r"(?:like|want|need|trying|wish) to (?:update|change|correct|edit))\W*$"
)

BOTH_ENDS = re.compile(
    r"\band (?:the |your |its )?(?:last|final|end)\b|\bfirst and (?:the )?last\b|"
    r"\bfrom (?:which|what) (?:day|date) (?:to|until|till)\b|\bfrom when (?:to|until|till)\b|"
    r"\bstart and (?:the )?end\b"
)

OLD_ONE = re.compile(r"\b(?:old|current|present|previous|existing) one\b")

WH = re.compile(r"\b(?:what|which|when|where|why|how|whose|whom?)\b")

WHICH_PART = re.compile(r"(?:and |so )?(?:which|what) (?:part|kind|sort|area|section)s? of\b")

WHICH_ONE = re.compile(r"(?:and |so )?which (?:one|of \w+)\b")

WH_QUESTION = re.compile(r"(?:and |so |but )?(?:what|which|when|where|why|how|whom?)\b")

INSTRUCTION = re.compile(
    r"(?:^|\b(?:please|could you|can you|would you|try|trying|go ahead and|first|next|"
    r"now|then|you to|and|by|should) )"
    r"(?:please |also |just )*(?:restart|unplug|reboot|power[- ]cycl\w*|reset|plug|"
    r"switch|turn)(?:ing)? (?:off |on |in )?(?:your|the|it)\b"
)

SUBJECT_VERIFICATION = re.compile(
    r"\b(?:verify|verification|identity|few questions|quick questions?|couple of "
    r"questions|some questions|security questions?|you on hold|a moment|a minute|to hold|"
    r"ask you)\b"
)

NOT_ASKED = re.compile(
    r"\b(?:(?:if|in case) (?:the|your) [\w ]+ (?:isn't|is not|aren't)|(?:if|"
    r"in case) you (?:don't|do not|cannot|can't) (?:have|know|remember|"
    r"recall|find)|without|no need (?:to|for)|there is no need|(?:don't|do not|never|"
    r"won't|will not|not|needn't) (?:ever |need to |have to |be |worry about |you to "
    r")*"
    r"(?:need|share|send|provide|give|giving|ask|asking|include|enter|required?|"
    r"requesting|request|type|tell|post|sharing|disclose)|confirm (?:that |if |"
    r"whether )?you (?:have |can |did )?(?:receiv|got|get|see|understand)\w*|already "
    r"have|have (?:already )?received|instead of(?: your)?|in place of|rather than|thank you for "
    r"(?:providing|sharing|confirming|giving|the|your)|thanks for (?:providing|"
    r"sharing|confirming|giving|the|your|sending)|"
    r"i (?:have )?(?:found|located|pulled up|verified|see|can see|noted|got) "
    r")\b[^,.;?!:]*?(?=[,.;?!:]| - | but | so | and (?:could|can|may|please|what|i)\b|"
    r" now\b|(?<= it)(?= (?:the|your|just|then)\b)| could\b| can you\b| may i\b| what\b| please\b|"
    r" i (?:also|just|still|"
    r"will) need|$)"
)

PURPOSE = re.compile(
    r"(?:,? (?:so (?:that )?(?:i|we)\b|in order to\b|before (?:i|we)\b|and (?:then "
    r")?(?:i'll|i will|i can|we'll|we can)\b|then (?:i|we)\b|, (?:i'll|i will|i can|"
    r"we can|we'll)\b)|, i'll\b|,? (?:for (?:verification|security|identification)|to "
    r"(?:verify|locate|look|find|pull|access|help|proceed|make sure|update|get "
    r"started|complete|continue|ensure|begin|check|process|assist|change|move|"
    r"reschedule|set|open|identify|confirm|review|start)\b))"
)

PREAMBLE = re.compile(
    r"^(?:(?:in order )?to|before|for|so (?:that )?|as|since|because|once|while|"
    r"when)\b[^,?]*,|^.{0,80}?:(?= \w)"
)

HARD_PURPOSE = re.compile(r", (?:i'll|i will|i can|we can|we'll)\b")

ANAPHORA = re.compile(
    r"\b(?:it|that|them|this|these|those|one|both|either|all three|the following|following|each)\b"
)
