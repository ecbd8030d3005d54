"""Wordings by which agents report, refuse, hand over, wait and take leave (unified lower case)."""

from __future__ import annotations

import re

from skillbench_tasks.solvers.users.patterns import any_of

__all__ = [
    "CLOSING",
    "CONCLUSION",
    "DONE",
    "DONE_BY_US",
    "FAREWELL",
    "GREETING",
    "HOLD",
    "NOT_DONE",
    "NOT_REFUSED",
    "REFUSAL",
    "SMALL_TALK",
    "TRANSFER",
    "TRANSFER_LATER",
]

GREETING = re.compile(
    r"\b(?:how|what) (?:can|may|could|might|should|shall) (?:i|we) (?:help|assist|do "
    r"for|be of|support|serve|get done)\b|\bhow (?:can|may) i (?:be|make)\b|\bwhat "
    r"brings you\b|\bwhat can i (?:do|help)\b|\bhow is it i can help\b|"
    r"\bwhat (?:do|would) you (?:need|like) (?:help|assistance|me to help)\b|\bwhat "
    r"do you need(?: today)?\?|\bhow can you be helped|\bhow might i\b|\bhere to "
    r"help\b(?=.*\bwhat\b)|\bwhat is up\W*$|\btell me how i can\b|\bhow can i assist\b|"
    r"\bwhat are you contacting\b"
)

SMALL_TALK = re.compile(
    r"\bhow are you\b(?! able)|\bhow is your day\b|\bhope you are\b|\bhow is it "
    r"going\b|\bhow are things\b"
)

CLOSING = re.compile(
    r"\banything you(?:'d| would)? (?:want|like|wish) to add\b|"
    r"(?<!before )\b(?:any ?thing|something|any) (?:else|more|other (?:questions?|concerns?|"
    r"requests?|issues?))\b(?!.{0,30}\b(?:tell|share|add|about (?:the|your|this)|"
    r"noticed?|technician|driver|happen))(?=.*\?|.*\blet me know\b|.*\bneed\b|"
    r".*\bhelp\b)|"
    r"\b(?:is there )?any(?:thing)? (?:else|other)\b.{0,40}\b(?:help|assist|do for|"
    r"need|like)\b|\bwhat else can i (?:do|help)|\bany (?:other|more|further) "
    r"(?:questions?|concerns?|requests?|help|assistance|issues?)\b|"
    r"\bother (?:ways|way) (?:i|we) can (?:help|assist)|\bhow else (?:can|may) (?:i|"
    r"we)\b|\banything i can (?:help|do|assist)|\bdid (?:that|this|i) (?:answer|"
    r"address|resolve) (?:all )?your (?:questions?|concerns?)|\bdoes (?:that|this) "
    r"answer\b|\bfurther (?:assistance|help|questions?)\b|^anything else\W*$|"
    r"^(?:something )?else\W*$"
)

FAREWELL = re.compile(
    r"\b(?:have a (?:great|good|nice|wonderful|lovely|pleasant|fantastic|terrific)|"
    r"(?:you are|you're) (?:very |most )?welcome\b(?! to)|goodbye|good bye|bye\b|take "
    r"care|thank you for (?:calling|contacting|choosing|being|reaching out|your "
    r"business|banking|shopping)|thanks for (?:calling|contacting|choosing|being|"
    r"reaching out)|enjoy (?:the rest|your)|happy to (?:have helped|help)[.!]|glad "
    r"(?:i|we) could help|my pleasure|no problem at all[.!]|see you)"
)

TRANSFER = any_of(
    r"\b(?:get|bring in|have) (?:a|an|one of) [^.?!]{0,40}\b(?:specialist|colleague|"
    r"agent|human|supervisor)s?\b",
    r"\b(?:i|we)(?:'m| am|'ll| will|'re| are| have|'ve)?(?: now| just| going to| also|"
    r" already| go ahead and| immediately)* (?:be )?"
    r"(?:transfer(?:r?ing|red)?|connect(?:ing|ed)?|hand(?:ing|ed)?|pass(?:ing|ed)?|"
    r"rout(?:e|ing|ed)|escalat(?:e|ing|ed)|forward(?:ing|ed)?|refer(?:ring|red)?|"
    r"send(?:ing)?|put(?:ting)?|turn(?:ing|ed)?|direct(?:ing|ed)?|redirect(?:ing|ed)?|"
    r"bring(?:ing)?|get(?:ting)?|loop(?:ing|ed)?)\b"
    r"[^.?!]{0,60}\b(?:to|with|through|over|in|on)\b[^.?!]{0,60}\b(?:specialists?|"
    r"agents?|humans?|person|colleagues?|team|department|representatives?|rep|"
    r"supervisors?|managers?|advis[eo]rs?|desk|technicians?|support|someone|member of|"
    r"staff|queue|officer|expert|associate|teammate|coworker|operator)\b",
    r"\b(?:i|we)(?:'m| am|'ll| will|'re| are| have|'ve)?(?: now| just| going to| also|"
    r" already)* (?:transfer(?:r?ing|red)?|escalat(?:e|ing|ed)) (?:you|this|your "
    r"(?:case|request|call|chat|issue|conversation)|the (?:case|matter|issue|request|"
    r"conversation)|it)\b",
    r"\b(?:i|we) (?:have |'ve )?(?:transferred|escalated|handed|passed)\b",
    r"\b(?:let me|let us|allow me to|i need to|i have to|i must|going to have to|i'll "
    r"have to) (?:transfer|connect|hand|escalate|pass|get|"
    r"put)\b[^.?!]{0,60}\b(?:specialist|agent|human|person|colleague|team|department|"
    r"representative|supervisor|manager|advis[eo]r|desk|someone|expert)\b|\blet me "
    r"transfer you\b|\bi need to transfer\b|\bi must transfer\b|\bi have to transfer\b",
    r"\b(?:specialist|agent|human|colleague|team member|representative|supervisor|"
    r"manager|advis[eo]r|member of (?:our|the) (?:team|staff)|human agent|someone|"
    r"expert|(?:our|the) [\w ]{0,30}team)\b[^.?!]{0,40}\b(?:will|is going to|'ll) "
    r"(?:take over|take it from here|join|pick (?:this|it) up|assist you (?:from|"
    r"short|further)|be with you|continue|handle (?:this|it|your)|help you (?:from|"
    r"further|with)|assist you|take care of)\b",
    r"\b(?:you are|you're|you'll be|you will be|your (?:case|request|chat|call|issue|"
    r"conversation) (?:has been|is being|will be|is)|this (?:has been|is being|will "
    r"be|conversation is being)|being) (?:now |being |been )*(?:transferred|escalated|"
    r"connected|handed|passed|routed|forwarded)\b|^(?:transferring|connecting|"
    r"escalating|handing|passing|forwarding|routing|transferred|escalated|handed)\b",
    r"\b(?:specialist|agent|colleague|supervisor|manager|advis[eo]r|expert|(?:our|the|a) [\w "
    r"]{0,30}"
    r"(?:team|desk|office|department)|somebody|someone)s?\b[^.?!]{0,60}\b(?:(?:is|are) (?:now )?"
    r"(?:taking|picking|stepping|looking)|takes?|picks?|steps?|has|have) "
    r"(?:(?:it|this|that|things|matters|your case) )?(?:now )?(?:over|on|up|in)\b",
    r"\b(?:this|the|your) (?:conversation|chat|case|request|matter|call|file) (?:will|is|has) "
    r"(?:now )?"
    r"(?:be|being|been) (?:now )?(?:routed|transferred|passed|handed|forwarded|escalated|taken "
    r"over)\b",
    r"\b(?:brought|bringing|bring|looped|looping|pulled) in (?:our|the|a|an|one of|my)\b|"
    r"\bthey (?:(?:will|are going to|'ll) )?(?:now )?(?:handle|take (?:it|this|over)|deal with|"
    r"look "
    r"after)\b",
    r"\bask(?:ed|ing) (?:our|the|a) [\w ]{0,25}(?:team|specialist|colleague|desk|department)s? to "
    r"\w+",
    r"\b(?:team|desk|department|operations|office|specialists?)\b[^.?!]{0,25}\bwill (?!not)\w+ "
    r"(?:it|this|that|you|your|the)\b[^.?!]*\b(?:by hand|for you|from here|you'll|you will)\b|"
    r"\b(?:you'll|you will) hear from them\b|\bthey(?:'ll| will) (?:phone|call|contact) you\b",
    r"\bputting you through\b|\b(?:giving|have given|given|leaving) (?:this|it|that|your (?:case|"
    r"request|file))"
    r" (?:over )?(?:to|with) (?:the|our|a)\b",
    r"\b(?:specialist|colleague|supervisor|human)s?\b[^.?!]{0,60}\b(?:will|(?:is|are) going to|"
    r"'ll) "
    r"(?!not\b)\w+ (?:it|this|that|you|your|things)\b",
    r"\b(?:connect|transferr|hand|pass|putt|rout|bring)ing (?:you|this|it|your \w+) (?:\w+ )?"
    r"(?:to|with|on to) (?:them|him|her|someone|our|the|a)\b",
    r"\b(?:i|we|i'm|we are) (?:have |am )?(?:now |just )?ask(?:ed|ing) [^.?!;]{0,60} to (?:do|"
    r"take|handle|call|contact|follow|"
    r"look|finish|sort)\b",
    r"\btransfer(?:red)? (?:is |has been )?(?:complete|initiated|underway|in progress|to a human)",
    r"\b(?:you will|you'll) (?:now )?(?:be speaking|speak|hear) (?:with|from|to) (?:a|"
    r"an|our|one of our)\b[^.?!]{0,40}\b(?:specialist|agent|human|colleague|team|"
    r"representative|supervisor|manager|advis[eo]r|expert)",
)

TRANSFER_LATER = re.compile(
    r"\b(?:if|unless|would you like|do you want|shall i|should i|can i|may i|i can|i "
    r"could|i might|won't|will not|not|don't|cannot|can't|before|want me to|whether|"
    r"happy to|able to|once|let me know|prefer)\b[^.,;?!]{0,80}\b(?:transfer|connect|"
    r"hand|escalat|pass|rout|forward|refer|put|get)|\btransfer fee|\bsend(?:ing)? "
    r"(?:you )?(?:an?|the) (?:\w+ )?(?:text|email|sms|link|code|confirmation)"
)

REFUSAL = any_of(
    r"\b(?:is|are|was|were)(?:n't| not) (?:something|anything|handled|done|set|made|offered|open) "
    r"(?:that |by |at |here|from |which )?(?:this|the|our|we|i|us)?\b",
    r"\b(?:desk|we|chat|channel|team) (?:really |simply )?(?:doesn't|does not|do not|don't) "
    r"(?:add|offer|handle|deal|issue|give|cover|cancel|change|do)\b",
    r"\b(?:can|may|will) no longer\b|\b(?:i|we) can only (?:talk|speak|deal|discuss|share|help|do|"
    r"make|give|assist|work)\b|\bonly the (?:\w+ ){0,2}(?:holder|member|person|owner|customer)\b"
    r"[^.?!]*\b(?:can|may|is able)\b",
    r"\bi (?:won't|will not)(?! be long| keep| need| ask| take)\b",
    r"\b(?:cannot|can't|can not) be (?!found|reached|located|verified|matched|read|undone|reversed|"
    r"revived|brought|re\w+ed|seen|sure|stopped)\w+\b",
    r"\bregret to\b|\b(?:may|can|could) not be \w+|\b(?:isn't|is not|aren't|are not) part of\b|"
    r"\b(?:don't|do not) have (?:any|a|the) (?:way|means|option|possibility)\b|\b(?:limited|"
    r"restricted) to\b|"
    r"\b(?:exclusively|solely|only) (?:by|through|via)\b|\b(?:unfortunately|sadly|a pity|sorry to "
    r"say)\b"
    r"[^.?!]*\b(?:not|no|cannot|only|\w+n't)\b",
    r"\bnothing (?:that )?(?:i|we|can be)\b(?! else)|\b(?:so|therefore)\b[^.?!]*\b(?:has|have) to "
    r"stay\b|\btherefore stays\b|"
    r"\b(?:and|but|so) (?:can\'t|cannot) (?!find|locate|see|wait)|\bnot the (?:right|one) (?:\w+ "
    r")?(?:to|for)\b|"
    r"\bno way (?:around|to|for)\b",
    r"\bfalls outside\b|\b(?:not|no [\w ]{1,20} is) possible\b",
    r"\b(?:i|we) (?:do not|don't) (?:permit|allow|offer|support|accept|handle)\b",
    r"\b(?:i|we)(?:'m| am|'re| are) (?:\w+ly |therefore |thus |also |still )?(?:not able|unable)\b",
    r"\b(?:i|we)(?:'m| am|'re| are) (?:really |so |truly |afraid |sorry,? (?:but )?|"
    r"unfortunately |very )*(?:i |we )?(?:'m |am |are )?(?:not able|unable|not "
    r"allowed|not permitted|not authori[sz]ed|not in a position)\b",
    r"\b(?:i|we) (?:really |unfortunately |simply |just |also )*(?:can't|cannot|can "
    r"not|cant|won't be able to|will not be able to|could not|couldn't|am unable to|"
    r"may not|do not have the (?:authority|ability|option)|don't have (?:the "
    r")?(?:authority|ability|option|access|a way)|am afraid (?:i |we )?(?:can|can't|"
    r"cannot))\b",
    r"\b(?:policy|policies|rules?|terms|guidelines|"
    r"regulations)\b[^.?!]{0,40}\b(?:doesn't|does not|do not|don't|won't|prevents?|"
    r"prohibits?|forbids?|not)\b|\bsystem\b[^.?!]{0,40}\b(?:not|n't|prevents?|prohibits?) ?"
    r"(?:allow|permit|let|me from|us from)\b|\brul(?:es?|ed|ing) (?:\w+ ){0,2}out\b|"
    r"\b(?:can't|cannot|can not) be (?:\w+ed|done|made|sent) (?:from |in |via )?(?:here|this)\b",
    r"\b(?:outside|beyond|out of) (?:of )?(?:what (?:i|we)|(?:my|our|the) (?:scope|"
    r"remit|capabilit|authority)|scope|the scope)|\bout of scope\b|\bnot something "
    r"(?:i|we|this|that i)\b|\bnot within\b|\b(?:is|are|it's) (?:not|no longer) "
    r"(?:eligible|possible|permitted|allowed|available (?:through|via|here|for)|"
    r"refundable|covered|supported)\b|\bisn't (?:eligible|possible|permitted|allowed|"
    r"something|refundable|covered|supported)\b",
    r"\b(?:not|no longer) (?:eligible|qualif\w+) (?:for|to)\b|\b(?:doesn't|does not|"
    r"do not|don't) qualify\b|\bmust decline\b|\bhave to decline\b|\bhas been "
    r"(?:declined|denied|rejected)\b|\bpast (?:the|our) [\w\d -]*(?:window|period|"
    r"deadline|limit)\b|\boutside (?:the|our|of the|of our)? ?[\w\d -]*(?:window|"
    r"period)\b|\bhas (?:passed|expired|closed)\b|\bnot handled here\b|\bthis (?:desk|"
    r"channel|chat) (?:only|does not|doesn't|can't|cannot)\b|\bno way (?:for me )?to\b",
    r"\b(?:cannot|can't|can not) be (?:processed|completed|refunded|changed|made|done|"
    r"cancelled|canceled|approved|issued|returned|applied|waived|shared|disclosed|"
    r"combined|honou?red|extended|modified)\b|\bunable to (?:process|complete|refund|"
    r"make|change|approve|issue|help|assist|accommodate|offer|proceed|do|fulfil|share|"
    r"disclose|provide|cancel|apply|grant|waive|verify|continue|discuss)\b|\bi only "
    r"(?:handle|help|assist|deal)\b",
)

NOT_REFUSED = re.compile(
    r"\b(?:promise|guarantee|(?:a|an|the|once) \w+ed (?:\w+ )?(?:cannot|can't|can not) be|name a "
    r"(?:closer|"
    r"more precise|exact)|give (?:you )?an? (?:exact|closer|precise)|(?:can't|cannot|couldn't|"
    r"could not|unable to|not able "
    r"to) (?:find|locate|see|pull up|reach|access|retrieve|load|look up|get through|"
    r"connect|match|proceed (?:until|without|unless)|proceed yet|understand|tell|go "
    r"further until|continue until|wait)|exact arrival|thank you enough|until (?:i|"
    r"you|we)|unless|without (?:first |verif|your|confirm|a )|before (?:i|you|we)|at "
    r"the moment because the system|apologi[sz]e enough)\b"
)

DONE = any_of(
    r"\bit is (?:now )?(?:moved|booked|done|updated|changed|rescheduled|cancell?ed)\b",
    r"\b(?:refund|change|update|request|cancellation|exchange)(?: of \S+)? is (?:now )?"
    r"(?:complete|done|issued|processed)\b",
    r"\b(?:request|case|ticket|order|claim)(?: \S+)? is (?:now )?open(?:ed)?\b(?! (?:to|for))|"
    r"\b(?:fee|charge|hold|lock|item) (?:is|has been) (?:now )?(?:gone|off|out)\b",
    r"\bback to normal\b|\bup and running\b",
    r"\b(?:has|have) gone through\b|\bis on (?:its|the) way\b",
    r"\b(?:i|we)(?:'ve| have|'d)? (?:now |just |successfully |also |already |gone "
    r"ahead and |been able to |went ahead and )*"
    r"(?:moved|rescheduled|updated|changed|booked|cancell?ed|issued|refunded|"
    r"processed|credited|applied|submitted|created|opened|logged|added|removed|"
    r"corrected|recorded|saved|set|switched|enabled|disabled|opted|unsubscribed|"
    r"subscribed|registered|filed|arranged|scheduled|placed|completed|dispatched|"
    r"initiated|raised|reset|restarted|effected|carried out|granted|settled|waived|swapped|"
    r"replaced|amended|adjusted|"
    r"reversed|started|put|turned|activated|deactivated|finali[sz]ed|unsubscribed|"
    r"made (?:the|that|those|your|this)|taken care|sent (?:you|your|the|out|over)|"
    r"noted (?:your|the|that|down)? ?(?:access|gate|preference|in)|confirmed (?:your|"
    r"the) (?:appointment|visit|booking|new)|restored|modified|edited|redirected|"
    r"reshipped|reordered|locked in|secured|sorted|fixed)\b",
    r"\b(?:has|have) (?:now |just |successfully |also |already |all )*been (?:now |"
    r"successfully |fully |also |already )*(?:moved|rescheduled|updated|changed|"
    r"booked|cancell?ed|issued|refunded|processed|credited|applied|submitted|created|"
    r"opened|logged|added|removed|corrected|recorded|saved|set|switched|enabled|"
    r"disabled|opted|unsubscribed|subscribed|registered|filed|arranged|scheduled|"
    r"placed|completed|dispatched|initiated|raised|reset|effected|carried out|executed|granted|"
    r"settled|waived|swapped|replaced|"
    r"amended|adjusted|reversed|started|made|turned|activated|finali[sz]ed|confirmed|"
    r"restored|sent|modified|resolved|fixed|taken care|sorted|noted|received and)\b",
    r"\b(?:is|are|was|were) (?:now |successfully |officially |all |already "
    r")+(?:booked|scheduled|rescheduled|set|updated|changed|confirmed|complete|"
    r"completed|cancell?ed|active|in place|moved|on file|processed|submitted|done|for|"
    r"opted|unsubscribed|on its way|being processed|logged|recorded|saved|refunded|"
    r"applied|added|removed|issued|good|taken|sorted|fixed|tuesday|monday|wednesday|"
    r"thursday|friday|saturday|sunday)\b",
    r"\b(?:you are|you're|everything is|that is|that's|it is|it's|your (?:[\w-]+ "
    r"){1,3}(?:is|are)) (?:now |already )?(?:all set|booked|confirmed|all done|all "
    r"taken care|sorted|done|taken care of|good to go|complete|completed|set for)\b",
    r"\b(?:was|were) (?:successfully )?(?:processed|issued|moved|rescheduled|"
    r"cancell?ed|submitted|completed|approved)\b(?! (?:on|in|by|last|because|when|"
    r"at)\b)",
    r"\beverything is (?:now )?set\b",
    r"^(?:ordered|arranged|all arranged|locked|filed|placed|set|withdrawn|deleted|noted and "
    r"saved)\b[^?]*$",
    r"\b(?:is|are) (?:now |already )*(?:in place|on order|locked|switched (?:on|off)|sitting on "
    r"your|"
    r"waiting (?:on|for)|ready (?:for|on)|on your (?:card|account|file|order)|(?:on|off) now)\b",
    r"\b(?:is|are) now \w+",
    r"^(?:both|all|everything) (?:is |are )?(?:now )?done\b",
    r"\b(?:is|are) (?:changed|updated|removed|added|credited|refunded|activated|cancelled|ready|"
    r"filed|"
    r"logged|saved|locked|withdrawn|unlocked|booked|ordered|issued)\b"
    r"(?! (?:by|at|in|through|via) (?:the|our|a|my)\b)",
    r"\b(?:is|are) (?:on|off) (?:again|as of)\b",
    r"^(?:done|all set|all done|all sorted|booked|confirmed|rescheduled|updated|"
    r"complete|completed|refunded|success|cancelled|canceled|moved|submitted|"
    r"processed|sorted|that's done|it's done|saved|changed|applied|issued|"
    r"finished)\b[^?]*$",
    r"\b(?:refund|visit|appointment|update|change|request|credit|order|booking|"
    r"address|phone|email|number|preferences?|cancellation|exchange|replacement|"
    r"ticket|reschedul\w+) (?:successfully )?(?:issued|updated|changed|booked|"
    r"submitted|processed|applied|confirmed|completed?|cancelled|moved|rescheduled|"
    r"created|saved|recorded|went through|(?:was|is) (?:successful|complete|confirmed|"
    r"done|through))\b",
    r"\byour new (?:appointment|visit|date|booking|slot)(?: \w+){0,2} is\b|"
    r"\byou(?:'ll| will) (?:now )?(?:see|receive|get) (?:the|your|a|an) (?:refund|"
    r"credit|confirmation|money|replacement|email)\b",
    r"\bsuccessfully (?:moved|rescheduled|updated|changed|booked|cancell?ed|issued|"
    r"refunded|processed|applied|submitted|created|added|removed|saved|recorded|"
    r"completed)\b",
)

# What we did ourselves, just now: it stands even beside a refusal of something else.
DONE_BY_US = re.compile(
    r"\b(?:i|we) have (?:now |just |successfully |gone ahead and |also )*"
    r"(?!looked|checked|reviewed|gone|found|tried|searched|asked|read|noted|heard|received|"
    r"verified|"
    r"confirmed|seen|been|had)\w+(?:ed|en|t|de|ne)\b"
    r"|\b(?:has|have) (?:now|just) been\b|^(?:done|all (?:set|done|arranged|sorted))\b"
)

# Sentences that settle a question without anything being changed.
CONCLUSION = re.compile(
    r"\byou (?:do not|don't|needn't|won't) (?:have to|need to|owe|pay|be charged)\b|"
    r"\bthere(?: is|'s) (?:no (?:outage|charge|fee|need|problem|fault)|nothing(?! in| on| (?:i|"
    r"we) can)|exactly)\b|"
    r"\bhope (?:this|that|it) helps\b|\b(?:isn't|is not) owed\b|"
    r"\bnothing (?:more|else|further|you need|is due|"
    r"to pay)\b|"
    r"\b(?:that|this|which) (?:is|was) why\b|\b(?:is|was) (?:void|already paid|due to|the reason|"
    r"because|open and|correct as)\b|\bthe reason (?:is|was|for)\b|\bcomes? from\b|\bexplains?\b|"
    r"\bis made up of\b|"
    r"\b(?:line|modem|connection|test|restart) (?:\w+ )?(?:passes|passed|tests|is (?:fine|steady|"
    r"back|up))\b|"
    r"\bwill be (?:answered|dealt with|sent|delivered|ready|paid|back)\b|\bas planned\b|"
    r"\bsettles\b|\bis (?:on track|still on time|being worked on|in progress|due (?:by|on))\b|"
    r"\byou(?:'ll| will) (?:hear|have an answer|get (?:a|an|your|the))\b"
)

NOT_DONE = re.compile(
    r"\b(?:i (?:can )?see|i show|it looks like|looks like|our records|records? shows?|"
    r"according to|i have located|i found|it appears|it seems|once|after|when|as soon "
    r"as|if|before|until|unless|whether|not|n't|never|hasn't|haven't|isn't|verification code|"
    r"a code|one-time|would|failed|nothing)\b(?=.*\b(?:moved|rescheduled|updated|"
    r"changed|booked|cancell?ed|issued|refunded|processed|credited|applied|submitted|"
    r"created|added|removed|scheduled|placed|completed|made|set|sent|been|code|went|gone|"
    r"confirmed)\b)|\bcode\b.*\b(?:sent|texted)|\bsent\b.*\bcode\b|\bpulled up\b|"
    r"\b(?:fee|charge|surcharge|tax)s? (?:has|have) been (?:added|applied|charged)|"
    r"\b(?:because|since you|which was)\b|\b(?:received|noted) your (?:request|"
    r"message|details)\b"
)

HOLD = re.compile(
    r"\b(?:one (?:moment|sec|second|minute)|just a (?:moment|sec|second|minute|bit)|a "
    r"(?:moment|sec|second|minute) (?:please|while)|please (?:hold|wait|stand by|"
    r"bear)|bear with me|hang on|hold on|hang tight|stand by|give me (?:a|one|just)|"
    r"let me (?:check|look|pull|see|verify|find|take|review|confirm that|get that|"
    r"quickly|just|go ahead|try|process|update|move|book|do that|run|locate|search|"
    r"fetch|retrieve|start|make|submit|work)|"
    r"(?:i'll|i will|i'm going to|i am going to|i'm|i am|we'll|we will) (?:now |just |"
    r"quickly |go ahead and |also |currently |then )*(?:check|look|pull|review|verify|"
    r"process|update|move|book|submit|get|do|make|try|work|start|retrieve|search|"
    r"checking|looking|pulling|processing|updating|verifying|moving|working|take|"
    r"reschedule|cancel|proceed|apply|issue|change|record|find|see|fetch|run)|"
    r"checking\b|looking (?:into|that|up)|working on (?:it|that)|pulling (?:up|that)|"
    r"be right back|processing (?:that|your|the)|thank you for (?:waiting|your "
    r"patience|holding)|hold for)"
)
