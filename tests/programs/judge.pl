# What judge-findings and judge-sections have in common: JSON, the header of a program, the marks in its source.
# Only perl-base is needed.
use strict;
use warnings;

# --- JSON, as much of it as RFC 8259 has

sub json_value {
    my ($text) = @_;    # a reference; pos() is where we are
    if ($$text =~ /\G\s*\{\s*/gc) {
        my %object;
        return \%object if $$text =~ /\G\}/gc;
        do {
            my $key = json_value($text);
            $$text =~ /\G\s*:/gc or die "':' expected\n";
            $object{$key} = json_value($text);
        } while $$text =~ /\G\s*,/gc;
        $$text =~ /\G\s*\}/gc or die "'}' expected\n";
        return \%object;
    }
    if ($$text =~ /\G\s*\[\s*/gc) {
        my @array;
        return \@array if $$text =~ /\G\]/gc;
        do { push @array, json_value($text) } while $$text =~ /\G\s*,/gc;
        $$text =~ /\G\s*\]/gc or die "']' expected\n";
        return \@array;
    }
    if ($$text =~ /\G\s*"((?:[^"\\\x00-\x1f]|\\.)*)"/gc) {
        my $string = $1;
        my %escape = (n => "\n", t => "\t", r => "\r", b => "\b", f => "\f");
        $string =~ s/\\(u([0-9a-fA-F]{4})|.)/defined $2 ? chr hex $2 : $escape{$1} || $1/ge;
        return $string;
    }
    return $1 if $$text =~ /\G\s*(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null)/gc;
    die "value expected\n";
}

# --- the header, and the marks in the source

our %header;    # key => [values]
our %marks;     # mark => { "file:line" => 1 }

sub read_source {
    my ($path, $is_program) = @_;
    my ($name) = $path =~ m{([^/]+)$};
    my $in_header = $is_program;
    open my $file, '<', $path or die "$path: $!\n";
    while (<$file>) {
        if ($in_header) {
            push @{ $header{$1} }, $2 if /^ \* (\w+): *(.*?)\s*$/;
            $in_header = 0 if m{\*/};
            next;
        }
        next unless m{(?:/\*|//) (?:race|access|spin|lock|wait|signal): ([\w ]+)};
        $marks{$_}{"$name:$."} = 1 for split ' ', $1;
    }
}

1;
