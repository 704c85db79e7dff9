["{" "(" "["] @indent.begin
["}" ")" "]"] @indent.branch @indent.end
