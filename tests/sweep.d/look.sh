# Says whether a call with this argument was noted.
if grep -q "	$1\$" calls 2>/dev/null; then printf yes; else printf no; fi
