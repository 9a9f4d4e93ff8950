/* Embeds the builtin library and the extra header; the names are hidden. */
#ifndef KILN_BUILTINS_BIN
#error "defined by cmake/builtins.cmake"
#endif
        .section .rodata
        .balign 16
        .global kiln_builtins_data
        .hidden kiln_builtins_data
        .type kiln_builtins_data, %object
kiln_builtins_data:
        .incbin KILN_BUILTINS_BIN
        .size kiln_builtins_data, . - kiln_builtins_data

        .global kiln_builtins_header_text
        .hidden kiln_builtins_header_text
        .type kiln_builtins_header_text, %object
kiln_builtins_header_text:
        .incbin KILN_BUILTINS_HEADER
        .byte 0
        .size kiln_builtins_header_text, . - kiln_builtins_header_text
        .global kiln_builtins_header_end
        .hidden kiln_builtins_header_end
kiln_builtins_header_end:
        .section .note.GNU-stack,"",%progbits
